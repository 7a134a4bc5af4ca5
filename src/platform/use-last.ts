/** Drops the least recently used value if there are more than `most`. */
export function setInLru<Value>(
  values: Map<string, Value>,
  key: string,
  value: Value,
  most: number,
  onDrop: (dropped: Value) => void = () => undefined,
): void {
  values.delete(key)
  values.set(key, value)
  const [first] = values
  if (values.size <= most || first === undefined) return
  values.delete(first[0])
  onDrop(first[1])
}
