.DEFAULT_GOAL := help
.PHONY: help test demo lint format lock clean venv

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

test: venv ## everything that CI checks: linter, format, types, layers, tests with coverage
	@scripts/check lint tests

demo: venv ## find stragglers, retries and failures in the event log of a small Spark job
	@scripts/demo

lint: venv ## the checks that run no test
	@scripts/check lint

format: venv ## mend what the linter can mend, and lay the code out
	@.venv/bin/ruff check --fix-only .
	@.venv/bin/ruff format .

lock: venv ## write requirements.lock anew after a change in pyproject.toml (UPGRADE=1: newest versions)
	@scripts/lock $(if $(UPGRADE),--upgrade)

clean: ## remove the virtual environment and all that the tools left
	@rm -rf .venv .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache dist
	@find src tests scripts -name __pycache__ -exec rm -rf {} +

venv:
	@scripts/bootstrap
