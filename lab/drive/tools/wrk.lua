-- Nothing but a pause before the first connection: the work of starting this
-- container is over when wrk starts to count.

local ffi = require("ffi")
ffi.cdef "int usleep(unsigned int microseconds);"

local paused = false

function setup()
   if not paused then
      paused = true
      ffi.C.usleep(300000)
   end
end
