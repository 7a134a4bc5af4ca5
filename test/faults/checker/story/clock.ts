/** When the story begins, on the machine's clock; the service's is the same. */
export const began = Date.parse('2026-11-21T12:00:00.000Z')
export const at = (seconds: number): number => began + Math.round(seconds * 1000)
export const iso = (seconds: number): string => new Date(at(seconds)).toISOString()

/** 24 hexadecimal digits, the same for the same name. */
export const idOf = (name: string): string =>
  Buffer.from(name.padEnd(12, '.')).subarray(0, 12).toString('hex')
