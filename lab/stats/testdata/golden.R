# Writes golden.csv: what R says about the same numbers. Run by hand
# (Rscript golden.R > golden.csv); the tests read the committed file only.
row <- function(call, x, y, ...) {
  out <- c(...)
  for (k in names(out)) {
    cat(sprintf('"%s","%s","%s",%s,%.15g\n', call, paste(as.character(x), collapse = " "),
                paste(as.character(y), collapse = " "), k, out[[k]]))
  }
}
cat("call,x,y,quantity,value\n")
set.seed(20260101)
pairs <- list()
for (n in c(2, 3, 6, 7, 12, 20, 40)) {
  base <- round(exp(rnorm(n, log(20000), 0.05)), 2)
  pairs[[length(pairs) + 1]] <- list(base, round(base * exp(rnorm(n, -0.02, 0.03)), 2))
  pairs[[length(pairs) + 1]] <- list(base, round(base * exp(rnorm(n, 0.05, 0.01)), 2))
}
for (p in pairs) {
  x <- p[[1]]; y <- p[[2]]
  t95 <- t.test(log(y), log(x), paired = TRUE)
  t90 <- t.test(log(y), log(x), paired = TRUE, conf.level = 0.90)
  row("t.test(log(y), log(x), paired=TRUE)", x, y, p = t95$p.value,
      effect = expm1(t95$estimate[[1]]), low = expm1(t95$conf.int[1]), high = expm1(t95$conf.int[2]))
  row("t.test(log(y), log(x), paired=TRUE, conf.level=0.90)", x, y,
      low = expm1(t90$conf.int[1]), high = expm1(t90$conf.int[2]))
  row("wilcox.test(log(y), log(x), paired=TRUE, exact=TRUE)", x, y,
      p = wilcox.test(log(y), log(x), paired = TRUE, exact = TRUE)$p.value)
  row("max of two t.test(log(y)-log(x), mu=-+log(1.025), one-sided)", x, y,
      p = max(t.test(log(y) - log(x), mu = -log(1.025), alternative = "greater")$p.value,
              t.test(log(y) - log(x), mu = log(1.025), alternative = "less")$p.value))
  w <- t.test(log(y), log(x))
  row("t.test(log(y), log(x), conf.level=0.90) # Welch", x, y, p = w$p.value, df = w$parameter[[1]],
      low = t.test(log(y), log(x), conf.level = 0.90)$conf.int[1])
  s <- t.test(log(x))
  row("exp(t.test(log(x))$conf.int)", x, 0, mean = exp(mean(log(x))), low = exp(s$conf.int[1]),
      high = exp(s$conf.int[2]), sd = sd(log(x)), cv = sd(x) / mean(x), median = median(x))
}
# Ties and zeros: the exact p-value by enumerating all signs of the mid-ranks.
exact <- function(d) {
  d <- d[d != 0]; r <- rank(abs(d)); n <- length(d); v <- sum(r[d > 0])
  s <- sapply(0:(2^n - 1), function(m) sum(r[bitwAnd(m, 2^(0:(n - 1))) > 0]))
  min(1, 2 * min(mean(s <= v), mean(s >= v)))
}
for (d in list(c(1, 1, 2, -1, 3, 4), c(1, -1, 1, -1), c(0, 0, 1, 2, 3, 4, 5, 6), c(2, 2, 2, 2, 2, 2, 2),
               c(-3, 1, 1, 2, 2, 2, 5, -1, 7, 8, 8, 9))) {
  row("enumeration of signed mid-ranks", d, 0, p = exact(d))
}
flip <- function(d) {
  n <- length(d); t <- abs(sum(d))
  s <- sapply(0:(2^n - 1), function(m) sum(ifelse(bitwAnd(m, 2^(0:(n - 1))) > 0, d, -d)))
  mean(abs(s) >= t - 1e-12)
}
for (d in list(c(1.5, 2.25, -0.5, 3, 4.125, 0.25), c(-1, 2, -3, 4, -5, 6, -7, 8), rep(1, 6))) {
  row("enumeration of signs of the sum", d, 0, p = flip(d))
}
for (ps in list(c(0.001, 0.02, 0.03, 0.04, 0.5), c(0.01, 0.01, 0.01), c(0.9, 0.04, 0.0002, 0.3, 0.04, 1), 0.013,
                round(runif(24), 6))) {
  bh <- p.adjust(ps, "BH"); ho <- p.adjust(ps, "holm")
  names(bh) <- seq_along(ps) - 1; names(ho) <- seq_along(ps) - 1
  row('p.adjust(x, \'BH\')', ps, 0, bh)
  row('p.adjust(x, \'holm\')', ps, 0, ho)
}
for (c in list(c(59, 0), c(58, 0), c(93, 1), c(92, 1), c(124, 2), c(153, 3), c(181, 4), c(208, 5), c(286, 8), c(20, 0), c(10, 5))) {
  row("binom.test(n-k, n, alternative='greater')$conf.int[1]", c, 0,
      bound = binom.test(c[1] - c[2], c[1], alternative = "greater")$conf.int[1])
}
for (c in list(c(6, 0.02, 0.05, 0.01), c(12, 0.02, 0.05, 0.01), c(12, 0.016, -0.05, 0.01), c(20, 0.034, 0.05, 0.01),
               c(12, 0.02, 0.05, 0.05), c(6, 0.015, 0.05, 0.01), c(40, 0.05, 0.05, 0.02 / 24), c(12, 0.03, 0.01, 0.01))) {
  row("power.t.test(n, delta=abs(log1p(effect)), sd, sig.level, type='one.sample', strict=TRUE)", c, 0,
      power = power.t.test(c[1], delta = abs(log1p(c[3])), sd = c[2], sig.level = c[4], type = "one.sample", strict = TRUE)$power)
}
for (c in list(c(0.02, 12), c(0.016, 6), c(0.034, 20))) {
  row("expm1((qt(.995,n-1)+qt(.95,n-1))*sd/sqrt(n))", c, 0,
      mde = expm1((qt(.995, c[2] - 1) + qt(.95, c[2] - 1)) * c[1] / sqrt(c[2])))
}
for (c in list(c(0.02, 5), c(0.02, 30))) {
  row("sd*sqrt(df/qchisq(.2, df))", c, 0, bound = c[1] * sqrt(c[2] / qchisq(.2, c[2])))
}
