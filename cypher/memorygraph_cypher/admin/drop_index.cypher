// name: drop_index
// Drops an index by its name, if there is one.
// params: name

DROP INDEX $name IF EXISTS
