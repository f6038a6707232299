"""The program model: functions of blocks in SSA form with block parameters; immutable."""
