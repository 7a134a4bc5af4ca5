import { expect } from 'chai'

/** Values that differ from run to run. Each id in an example represents one real id in all responses. */
const ids = /^([0-9a-f]{24}|[0-9a-f]{64}|(PI|RF|OR)-[0-9A-Z]{16}|[\w-]{32}|whsec_[\w+/]{43}=)$/
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
/** Other values that differ, by field name. */
const fresh: Record<string, RegExp> = {
  code: /^\d{6}$/,
  codeUrl: /^https:\/\/pay\.example\/sandbox\/[0-9a-f]{24}$/,
  shortCode: /^[0-9A-Z]{6}$/,
  'X-Service-Timestamp': /^\d{10}$/,
  'webhook-timestamp': /^\d{10}$/,
  next: /^\d+-[0-9a-f]{8}$/,
}
const measured = new Set(['durationMs', 'lastDurationMs'])

/** Compares responses with examples, and learns which real id each id of an example represents. */
export interface ExampleMatcher {
  /** The text of an example with its ids replaced by real ones. */
  withRealIds(text: string): string
  /** Expects a response with the fields and values of its example, except values that differ from run to run. */
  expectMatch(response: unknown, example: unknown, at: string): void
  /** Forgets all learnt ids. */
  reset(): void
}

/** `given`: ids that are known from the beginning. */
export function createExampleMatcher(given: readonly (readonly [example: string, real: string])[]): ExampleMatcher {
  let realIds = new Map(given)

  const real = (text: string): string =>
    [...realIds].reduce((result, [example, id]) => result.replaceAll(example, id), text)

  const expectText = (response: unknown, example: string, at: string): void => {
    const field = at.slice(at.lastIndexOf('.') + 1)
    if (instant.test(example)) return void expect(response, at).to.match(instant)
    const form = fresh[field] ?? (ids.test(example) ? ids : null)
    if (form === null || realIds.has(example)) return void expect(response, at).to.equal(real(example))
    expect(response, at).to.be.a('string').that.matches(form)
    expect([...realIds.values()], `${at} is new`).to.not.include(response)
    realIds.set(example, String(response))
  }

  const expectLike = (response: unknown, example: unknown, at: string): void => {
    if (typeof example === 'string') return expectText(response, example, at)
    if (measured.has(at.slice(at.lastIndexOf('.') + 1))) return void expect(response, at).to.be.a('number')
    if (typeof example !== 'object' || example === null) return void expect(response, at).to.equal(example)
    expect(response, at).to.be.an(Array.isArray(example) ? 'array' : 'object')
    expect(Object.keys(response as object), at).to.deep.equal(Object.keys(example))
    for (const [name, value] of Object.entries(example))
      expectLike((response as Record<string, unknown>)[name], value, `${at}.${name}`)
  }

  const forget = (): void => {
    realIds = new Map(given)
  }
  return { withRealIds: real, expectMatch: expectLike, reset: forget }
}
