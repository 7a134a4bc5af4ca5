/** Returns the schema of a text that the service stores as it is. */
export const storableText = (maxLength: number) => ({ type: 'string', maxLength, format: 'storable-text' }) as const

/** Returns the schema of a name or reference. Its form is unified before its length is checked. */
export const normalised = (normalise: 'name' | 'reference', maxLength: number) =>
  ({ type: 'string', maxLength, normalise }) as const
