-- One prepared statement, over and over, with a key where it wants one. Every
-- thread connects, prepares and warms up before sysbench starts its clock.

sysbench.cmdline.options = {
   statement = {"The statement to prepare", ""},
   rows = {"Keys are drawn out of 1 to this; 0 draws none", 0},
   warmup = {"How many seconds each thread works before the clock starts", 0},
}

local ffi = require("ffi")
ffi.cdef [[
   typedef struct { long sec, usec; } benchlab_timeval;
   int gettimeofday(benchlab_timeval *now, void *zone);
]]

local now = ffi.new("benchlab_timeval")

local function clock()
   ffi.C.gettimeofday(now, nil)
   return tonumber(now.sec) + tonumber(now.usec) / 1e6
end

local connection, statement, key, rows

function event()
   if rows > 0 then
      key:set(sysbench.rand.uniform(1, rows))
   end
   statement:execute()
end

function thread_init()
   connection = sysbench.sql.driver():connect()
   statement = connection:prepare(sysbench.opt.statement)
   rows = sysbench.opt.rows
   if rows > 0 then
      key = statement:bind_create(sysbench.sql.type.INT)
      statement:bind_param(key)
   end
   local done, last = 0, clock() + sysbench.opt.warmup
   while clock() < last do
      event()
      done = done + 1
   end
   io.write("warm-up operations: " .. done .. "\n") -- in one piece, beside other threads
end

function thread_done()
   statement:close()
   connection:disconnect()
end
