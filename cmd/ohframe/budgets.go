package main

import (
	"fmt"

	"ohframe/internal/condition"
)

// conditions returns the conditions of --fail-on and --budgets that are of a kind.
func conditions(c *call, kind condition.Kind) (list condition.Conditions, err error) {
	if c.IsSet("fail-on") {
		if list, err = condition.Parse(c.FailOn, kind); err != nil {
			return nil, fmt.Errorf("--fail-on: %w", err)
		}
	}
	if !c.IsSet("budgets") {
		return list, nil
	}
	name := c.Budgets
	file, err := openInput(c, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	budgets, err := condition.ParseFile(file, name, kind)
	return append(list, budgets...), fileError(name, err)
}
