/** The spaces that separate groups of three digits: ordinary, non-breaking, narrow and thin. */
const space = String.raw`[ \u00a0\u202f\u2009]`
const decimals = String.raw`(\d{1,2})`

/**
 * The forms of a decimal amount. A comma or a point followed by three digits is accepted only if the other character
 * marks the decimals, because `1,234` alone could mean either 1 234 or 1.234.
 */
const forms = [
  String.raw`(\d+)(?:[.,]${decimals})?`,
  String.raw`(\d{1,3}(?:${space}\d{3})+)(?:[.,]${decimals})?`,
  String.raw`(\d{1,3}(?:,\d{3})+)\.${decimals}`,
  String.raw`(\d{1,3}(?:\.\d{3})+),${decimals}`,
].map((form) => new RegExp(`^${form}$`, 'u'))

/** Parses a whole number of centimes. Returns null for any other text, and for a number that is not exact. */
export const readCentimes = (text: string): number | null => (/^\d+$/.test(text) ? exact(text) : null)

/**
 * Parses an amount with up to two decimals, such as `1234.50` or `1 234,50`, and returns it in centimes. All digits are
 * read as one whole number, so nothing is rounded. Returns null for any other text, and for a number that is not exact.
 */
export function readDecimal(text: string): number | null {
  for (const form of forms) {
    const [, units, cents = ''] = form.exec(text) ?? []
    if (units !== undefined) return exact(units.replaceAll(/\D/gu, '') + cents.padEnd(2, '0'))
  }
  return null
}

function exact(digits: string): number | null {
  const amount = Number(digits)
  return Number.isSafeInteger(amount) ? amount : null
}
