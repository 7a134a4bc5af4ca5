import { readInstant } from '../input/instant.ts'

const space = String.raw`[ \u00a0\u202f\u2009]`
const decimals = String.raw`(\d{1,2})`

/** `1,234` alone could mean 1234 or 1.234, so it's refused. */
const forms = [
  String.raw`(\d+)(?:[.,]${decimals})?`,
  String.raw`(\d{1,3}(?:${space}\d{3})+)(?:[.,]${decimals})?`,
  String.raw`(\d{1,3}(?:,\d{3})+)\.${decimals}`,
  String.raw`(\d{1,3}(?:\.\d{3})+),${decimals}`,
].map((form) => new RegExp(`^${form}$`, 'u'))

export const parseCentimes = (text: string): number | null => (/^\d+$/.test(text) ? exact(text) : null)

/** Returns null if the amount would have to be rounded to centimes. */
export function parseDecimalAmount(text: string): number | null {
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

/** Accountants write -5 as (5). (-5) could mean either, so its sign stays and is refused. */
export function splitSign(text: string): { isNegative: boolean; digits: string } {
  const [, inside] = /^\((.*)\)$/u.exec(text) ?? []
  if (inside !== undefined) return { isNegative: true, digits: inside.trim() }
  const [, sign = '', digits = ''] = /^([-\u2212+]?)(.*)$/u.exec(text) ?? []
  return { isNegative: sign !== '' && sign !== '+', digits }
}

export type TimeParser = (text: string) => Date | null

export const parseIsoTime: TimeParser = (text) =>
  readInstant(text.replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T'), 'start')

const timeTokens = ['YYYY', 'MM', 'DD', 'HH', 'mm', 'ss'] as const
const anyToken = new RegExp(timeTokens.join('|'), 'g')

/** In UTC. Null unless the date is whole and no token occurs twice. */
export function createTimeParser(format: string): TimeParser | null {
  const tokens: string[] = format.match(anyToken) ?? []
  const lacks = (token: string) => !tokens.includes(token)
  if (new Set(tokens).size < tokens.length || timeTokens.slice(0, 3).some(lacks)) return null
  if (lacks('HH') !== lacks('mm') || (lacks('mm') && !lacks('ss'))) return null
  if (/[\p{L}\d]/u.test(format.replaceAll(anyToken, '').replace('T', ''))) return null
  // Spreadsheets drop leading zeros: ambiguous without separators.
  const hasSeparators = !new RegExp(`(?:${anyToken.source}){2}`).test(format)
  const digits = (token: string) => (token === 'YYYY' ? '{4}' : hasSeparators ? '{1,2}' : '{2}')
  const pattern = format
    .replaceAll(/[^\p{L}\d\s]/gu, String.raw`\$&`)
    .replaceAll(anyToken, (token) => String.raw`(?<${token}>\d${digits(token)})`)
  const whole = new RegExp(`^${pattern}$`)
  return (text) => {
    const found = whole.exec(text)?.groups
    if (found === undefined) return null
    const two = (token: string) => (found[token] ?? '').padStart(2, '0')
    return readInstant(
      `${two('YYYY')}-${two('MM')}-${two('DD')}T${two('HH')}:${two('mm')}:${two('ss')}Z`,
      'start',
    )
  }
}
