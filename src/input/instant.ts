const date = /^(\d{4}-\d{2}-\d{2})$/
const dateTime =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)?$/

/** A date becomes the first or last millisecond of that UTC day. */
export function readInstant(text: string, edge: 'start' | 'end'): Date | null {
  const isDate = date.test(text)
  const parts = isDate ? [text, text] : dateTime.exec(text)
  const day = parts?.[1]
  if (day === undefined || !isRealDay(day)) return null
  if (isDate) return new Date(`${day}T${edge === 'start' ? '00:00:00.000' : '23:59:59.999'}Z`)
  const hasOffset = /(Z|[+-]\d{2}:?\d{2})$/.test(text.slice(day.length))
  const instant = new Date(hasOffset ? text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2') : `${text}Z`)
  return Number.isNaN(instant.getTime()) ? null : instant
}

function isRealDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}
