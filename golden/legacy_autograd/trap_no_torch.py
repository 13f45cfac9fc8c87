rows = table.data[0]
it = iter(rows)
it.next()
