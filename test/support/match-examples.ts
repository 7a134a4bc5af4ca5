import { expect } from 'chai'

/** Values that are made freshly each time: an id of an example stands for a real one wherever it stands. */
const ids = /^([0-9a-f]{24}|[0-9a-f]{64}|(PI|RF|OR)-[0-9A-Z]{16}|[\w-]{32})$/
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
/** By the name of the field. */
const fresh: Record<string, RegExp> = { code: /^\d{6}$/, shortCode: /^[0-9A-Z]{6}$/ }
const measured = new Set(['durationMs', 'lastDurationMs'])

/** The ids of examples, and those that a service really made in their place. */
export interface ExampleMatcher {
  /** An example's text with real ids in place of its own. */
  withRealIds(text: string): string
  /** Expects an answer to be its example: the same fields, the same values but where they are made freshly. */
  expectMatch(answer: unknown, example: unknown, at: string): void
  /** From here on its ids stand for other things. */
  reset(): void
}

/** `given`: what stands in place of what from the beginning. */
export function createExampleMatcher(
  given: readonly (readonly [example: string, real: string])[],
): ExampleMatcher {
  let cast = new Map(given)

  const real = (text: string): string =>
    [...cast].reduce((soFar, [example, made]) => soFar.replaceAll(example, made), text)

  const expectText = (answer: unknown, example: string, at: string): void => {
    const field = at.slice(at.lastIndexOf('.') + 1)
    if (instant.test(example)) return void expect(answer, at).to.match(instant)
    const form = fresh[field] ?? (ids.test(example) ? ids : null)
    if (form === null || cast.has(example)) return void expect(answer, at).to.equal(real(example))
    expect(answer, at).to.be.a('string').that.matches(form)
    expect([...cast.values()], `${at} is new`).to.not.include(answer)
    cast.set(example, String(answer))
  }

  const expectLike = (answer: unknown, example: unknown, at: string): void => {
    if (typeof example === 'string') return expectText(answer, example, at)
    if (measured.has(at.slice(at.lastIndexOf('.') + 1))) return void expect(answer, at).to.be.a('number')
    if (typeof example !== 'object' || example === null) return void expect(answer, at).to.equal(example)
    expect(answer, at).to.be.an(Array.isArray(example) ? 'array' : 'object')
    expect(Object.keys(answer as object), at).to.deep.equal(Object.keys(example))
    for (const [name, value] of Object.entries(example))
      expectLike((answer as Record<string, unknown>)[name], value, `${at}.${name}`)
  }

  const forget = (): void => {
    cast = new Map(given)
  }
  return { withRealIds: real, expectMatch: expectLike, reset: forget }
}
