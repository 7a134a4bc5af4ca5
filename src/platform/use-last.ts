/**
 * Stores a value as the one that was used last. If there are then more than `most`, drops the one that has not been
 * used for the longest time.
 */
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
