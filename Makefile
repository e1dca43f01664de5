# Everything is in ./dev; this lets `make test`, `make bench` and the like do the same.
.DEFAULT_GOAL := help
.PHONY: FORCE
FORCE:
%: FORCE
	@./dev $@
