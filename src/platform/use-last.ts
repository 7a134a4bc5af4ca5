/** Stores the value as the most recently used one. If there are more than `most`, drops the least recently used. */
export function useLast<Value>(
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
  const [oldest, dropped] = first
  values.delete(oldest)
  onDrop(dropped)
}
