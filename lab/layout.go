package lab

// Layout is the form of a suite's tables, where it is not the usual one of
// contenders by connections: that of a published experiment.
type Layout string

const (
	// SpeedupLayout sets contenders side by side in the work form, with the
	// seconds of each, how much longer the others take than the baseline, and
	// the best of 3 trials: the form of the 2017 tables.
	SpeedupLayout Layout = "speedup"
	// GapLayout tells beside every rate how much more the baseline does.
	GapLayout Layout = "gap"
	// ReadersLayout tells mean, error and standard deviation of an operation's
	// time, what it allocates and how often memory is collected.
	ReadersLayout Layout = "readers"
	// LadderLayout tells of every rung of a ladder how much it changes against
	// the rung before and against the base.
	LadderLayout Layout = "ladder"
	// ParityLayout tells the ratio of the baseline's rate to every other's,
	// the target and whether it is met: ours against the field's own tools.
	ParityLayout Layout = "parity"
)
