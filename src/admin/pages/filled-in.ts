/** The fields of a form, or of an address, without those left blank: nothing is asked by them. */
export const filledIn = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
