package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"ohframe/internal/condition"
)

// budgetsFlag names a file of conditions.
var budgetsFlag = &cli.StringFlag{Name: "budgets", Usage: "also check the conditions in `FILE`; docs/ci.md"}

// conditions returns the conditions of --fail-on and --budgets that are of a kind.
func conditions(c *cli.Context, kind condition.Kind) (list condition.Conditions, err error) {
	if c.IsSet("fail-on") {
		if list, err = condition.Parse(c.String("fail-on"), kind); err != nil {
			return nil, fmt.Errorf("--fail-on: %w", err)
		}
	}
	if !c.IsSet(budgetsFlag.Name) {
		return list, nil
	}
	name := c.String(budgetsFlag.Name)
	file, err := openInput(c, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	budgets, err := condition.ParseFile(file, name, kind)
	return append(list, budgets...), fileError(name, err)
}
