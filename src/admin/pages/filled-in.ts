/** Returns the fields of a form or a query that are not empty. */
export const filledIn = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
