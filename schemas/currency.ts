/** The currency of all amounts (SPEC 1). */
export const currencyCode = 'MRU'

/** The number of decimal places of the currency. 1 MRU is 100 centimes. */
export const decimals = 2
export const centimesPerUnit = 10 ** decimals

/**
 * Formats an amount in centimes as a decimal number, such as `500.00`, without the rounding errors that a division
 * could cause.
 */
export const decimal = (centimes: number): string =>
  `${Math.trunc(centimes / centimesPerUnit)}.${String(centimes % centimesPerUnit).padStart(decimals, '0')}`
