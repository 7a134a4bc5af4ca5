/** A text that's stored as it is. */
export const storableText = (maxLength: number) =>
  ({ type: 'string', maxLength, format: 'storable-text' }) as const

/** A text that's normalised before its length is checked. */
export const normalised = (normalise: 'name' | 'reference', maxLength: number) =>
  ({ type: 'string', maxLength, normalise }) as const
