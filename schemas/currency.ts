export const currencyCode = 'MRU'

/** 1 MRU is 100 centimes. */
export const currencyDecimals = 2
export const centimesPerUnit = 10 ** currencyDecimals

/** One new ouguiya (MRU) replaced ten old ones (MRO) in 2018, but many people still count in old ones. */
export const oldPerNewOuguiya = 10

/** Formats centimes in MRU, e.g. `500.00` or `-12.50`, without rounding. */
export function formatCentimes(centimes: number): string {
  const size = Math.abs(centimes)
  const fraction = String(size % centimesPerUnit).padStart(currencyDecimals, '0')
  return `${centimes < 0 ? '-' : ''}${Math.trunc(size / centimesPerUnit)}.${fraction}`
}
