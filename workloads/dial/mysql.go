package dial

import (
	"errors"
	"net"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"

	"benchlab/workloads"
)

// Timeout bounds a single dial where a library has no bound of its own.
const Timeout = 30 * time.Second

// MySQL is the configuration of a go-sql-driver connection. The library logs
// nothing, and MariaDB alone may use the old native passwords, its default.
func MySQL(t workloads.Target) (*mysql.Config, error) {
	config := mysql.NewConfig()
	var err error
	if config.TLS, err = TLS(t); err != nil {
		return nil, err
	}
	config.Net = "tcp"
	config.Addr = net.JoinHostPort(t.Host, strconv.Itoa(t.Port))
	config.User, config.Passwd, config.DBName = t.User, t.Password, t.Database
	config.Timeout = Timeout
	config.Logger = &mysql.NopLogger{}
	config.AllowNativePasswords = t.Server == workloads.MariaDB
	return config, nil
}

// MySQLClass names the class of what MySQL answered, by error number, or "" for
// what is no such answer.
func MySQLClass(err error) string {
	if errors.Is(err, mysql.ErrInvalidConn) {
		return workloads.ClassLost
	}
	var answer *mysql.MySQLError
	if !errors.As(err, &answer) {
		return ""
	}
	switch answer.Number {
	case 1022, 1048, 1062, 1451, 1452, 3819: // duplicate, null, foreign key, check
		return workloads.ClassConstraint
	case 1053, 1077, 1079, 1152, 1184, 1927, 4031: // shutdown, aborted, killed, disconnected
		return workloads.ClassLost
	case 1205, 3024: // lock wait, execution time exceeded
		return workloads.ClassTimeout
	case 1317: // query execution was interrupted
		return workloads.ClassCanceled
	}
	return ""
}
