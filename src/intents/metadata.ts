import type { Intent } from './intent.ts'

/** Returns the metadata as an object. Because of `fromEntries`, even `__proto__` becomes an ordinary own key. */
export const metadataObject = (intent: Pick<Intent, 'metadata'>): Record<string, string> =>
  Object.fromEntries(intent.metadata.map(({ key, value }) => [key, value]))
