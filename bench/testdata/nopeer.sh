echo there is no such library
exit 1
