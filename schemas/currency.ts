export const currencyCode = 'MRU'

export const currencyDecimals = 2
export const centimesPerUnit = 10 ** currencyDecimals

/** In 2018, one new ouguiya replaced ten old ones, which many still use. */
export const oldPerNewOuguiya = 10

/** Formats centimes as MRU without rounding, e.g. `-12.50`. */
export function formatCentimes(centimes: number): string {
  const size = Math.abs(centimes)
  const fraction = String(size % centimesPerUnit).padStart(currencyDecimals, '0')
  return `${centimes < 0 ? '-' : ''}${Math.trunc(size / centimesPerUnit)}.${fraction}`
}
