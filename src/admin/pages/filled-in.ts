/** Returns the non-empty fields of a form or a query. */
export const filledIn = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
