import type { Intent } from './intent.ts'

/**
 * Returns the metadata as an object. `Object.fromEntries` turns even `__proto__` into an ordinary key of the object.
 */
export const metadataObject = (intent: Pick<Intent, 'metadata'>): Record<string, string> =>
  Object.fromEntries(intent.metadata.map(({ key, value }) => [key, value]))
