package main

import (
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"ohframe/internal/diff"
)

// budgetsFlag names a file of conditions.
var budgetsFlag = &cli.StringFlag{Name: "budgets", Usage: "also check the conditions in `FILE`, for all processes and for single ones; docs/ci.md"}

// budgetFile returns the content of the file that --budgets names, nil without the flag.
func budgetFile(c *cli.Context) (*diff.BudgetFile, error) {
	if !c.IsSet(budgetsFlag.Name) {
		return nil, nil
	}
	name := c.String(budgetsFlag.Name)
	uses(c, name)
	file, err := os.Open(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, diff.MaxBudgetFile+1))
	if err == nil && len(data) > diff.MaxBudgetFile {
		err = fmt.Errorf("more than %d bytes, which is no file of budgets", diff.MaxBudgetFile)
	}
	if err != nil {
		return nil, fileError(name, err)
	}
	budgets, err := diff.ParseBudgetFile(name, data)
	return budgets, fileError(name, err)
}
