import type { Intent } from './intent.ts'

/** Returns the metadata as an object. `fromEntries` makes even `__proto__` an ordinary own key. */
export const metadataObject = (intent: Pick<Intent, 'metadata'>): Record<string, string> =>
  Object.fromEntries(intent.metadata.map(({ key, value }) => [key, value]))
