/** See SPEC 1.. */
export const currencyCode = 'MRU'

/** Decimal places: 1 MRU is 100 centimes. */
export const decimals = 2
export const centimesPerUnit = 10 ** decimals

/** In 2018, one new ouguiya (MRU) replaced ten old ones (MRO), in which many people still count. */
export const oldPerNewOuguiya = 10

/** Formats centimes as a decimal number, such as `500.00` or `-12.50`, without the rounding errors of a division. */
export function decimal(centimes: number): string {
  const size = Math.abs(centimes)
  const fraction = String(size % centimesPerUnit).padStart(decimals, '0')
  return `${centimes < 0 ? '-' : ''}${Math.trunc(size / centimesPerUnit)}.${fraction}`
}
