package simulate

import (
	"math"
	"math/rand/v2"
)

// Noise is what disturbs the logarithms of rates. All fields are standard
// deviations, shares or mean sizes on the log scale: 0.01 is 1 %. The zero
// value is silence.
type Noise struct {
	// Trial is the normal scatter of single trials.
	Trial float64
	// Outliers is the share of trials with a slow-side outlier, Outlier its
	// mean size (exponentially distributed).
	Outliers, Outlier float64
	// Walk is the step of the host's random walk from trial to trial.
	Walk float64
	// Wave is the scatter of the host's disturbance that decays from trial
	// to trial by the factor Decay (an AR(1) process), 0 <= Decay < 1.
	Wave, Decay float64
	// Modes is the share of trials whose process came up in its slow mode,
	// Mode how much slower that is.
	Modes, Mode float64
	// Window is the normal scatter of windows within a trial.
	Window float64
}

// Quiet is a dedicated host: log-ratios of neighbouring trials scatter by
// about 1.6 %.
func Quiet() Noise {
	return Noise{Trial: 0.0095, Outliers: 0.04, Outlier: 0.02, Walk: 0.004, Wave: 0.003, Decay: 0.8}
}

// host is the disturbance that all trials share.
type host struct {
	noise      Noise
	rng        *rand.Rand
	walk, wave float64
}

func newHost(noise Noise, rng *rand.Rand) *host {
	h := &host{noise: noise, rng: rng}
	if noise.Wave > 0 {
		h.wave = noise.Wave * rng.NormFloat64()
	}
	return h
}

// trial is the disturbance of the next trial, on the log scale.
func (h *host) trial() float64 {
	n := h.noise
	if n.Walk > 0 {
		h.walk += n.Walk * h.rng.NormFloat64()
	}
	if n.Wave > 0 {
		fresh := n.Wave * math.Sqrt(1-n.Decay*n.Decay)
		h.wave = n.Decay*h.wave + fresh*h.rng.NormFloat64()
	}
	d := h.walk + h.wave + n.Trial*h.rng.NormFloat64()
	if n.Outliers > 0 && h.rng.Float64() < n.Outliers {
		d -= n.Outlier * h.rng.ExpFloat64()
	}
	if n.Modes > 0 && h.rng.Float64() < n.Modes {
		d -= n.Mode
	}
	return d
}
