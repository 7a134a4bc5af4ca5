import { healthUpdate } from '../../src/webhooks/attempts/record-health.ts'

const at = (hour: number, minute = 0): Date => new Date(Date.UTC(2026, 10, 26, hour, minute))
const note = (time: Date, stage: 'timeout' | null, status: number | null = 200) =>
  ({ endpointId: 'e', at: time, stage, status, durationMs: time.getUTCMinutes() }) as const
const failed = (time: Date) => note(time, 'timeout', null)
type Stored = { [field: string]: unknown }
const healthy = { health: { failuresInRow: 0, failingSince: null }, reportedFailure: null, attemptHours: {} }
const failing = { ...healthy, health: { failuresInRow: 2, failingSince: at(1) } }

const operators: Record<string, (args: unknown[]) => unknown> = {
  $literal: ([value]) => value,
  $add: ([one, other]) => Number(one) + Number(other),
  $ifNull: ([value, otherwise]) => value ?? otherwise,
  $eq: ([one, other]) => String(one) === String(other),
  $cond: ([is, one, other]) => (is === true ? one : other),
  $type: ([value]) => (value === null ? 'null' : typeof value),
  $mergeObjects: ([one, other]) => ({ ...(one as object), ...(other as object) }),
}

function evaluate(value: unknown, stored: Stored): unknown {
  if (typeof value === 'string' && value.startsWith('$')) {
    const steps = value.slice(1).split('.')
    return steps.reduce<unknown>((part, step) => (part as Stored | undefined)?.[step], stored)
  }
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  const [first] = Object.entries(value)
  const [name, given] = first ?? ['', null]
  if (name === '$literal') return given
  const operator = operators[name]
  if (operator !== undefined) return operator([given].flat().map((each) => evaluate(each, stored)))
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, evaluate(each, stored)]))
}

function changed(stored: Stored, ...notes: Parameters<typeof healthUpdate>[0]): Stored {
  const [stage, ...more] = healthUpdate(notes)
  expect([Object.keys(stage ?? {}), more]).to.deep.equal([['$set'], []])
  return evaluate(stage?.['$set'], stored) as Stored
}

describe('The health of an endpoint', () => {
  it('counts consecutive failures and records when the first one ended', () => {
    const last = { 'health.lastFailureAt': at(2), 'health.lastError': 'timeout', 'health.lastStatus': null }
    const first = changed(healthy, failed(at(1)), failed(at(2)))
    expect(first).to.deep.include({ ...last, 'health.failuresInRow': 2, 'health.failingSince': at(1) })
    const more = changed(failing, failed(at(2)))
    expect(more).to.include({ 'health.failuresInRow': 3 })
    expect(more['health.failingSince']).to.deep.equal(at(1))
  })

  it('starts counting from zero after a success', () => {
    const ended = changed(failing, failed(at(2)), note(at(3, 5), null), note(at(3, 9), null))
    expect(ended).to.include({ 'health.failuresInRow': 0, 'health.failingSince': null })
    expect(ended['health.lastSuccessAt']).to.deep.equal(at(3, 9))
    expect(ended).to.include({ 'health.lastDurationMs': 9, 'health.lastError': 'timeout' })
    const failsAgain = changed(failing, note(at(3), null), note(at(4), 'timeout', 500), failed(at(5)))
    expect(failsAgain).to.include({ 'health.failuresInRow': 2, 'health.lastStatus': null })
    expect(failsAgain['health.failingSince']).to.deep.equal(at(4))
    const neverFailed = changed(healthy, note(at(3), null))
    expect(neverFailed).to.not.have.any.keys('health.lastFailureAt', 'health.lastError', 'health.lastStatus')
  })

  it('stores an error that looks like a MongoDB field path as text', () => {
    const strange = { ...failed(at(1)), stage: '$health' } as unknown as ReturnType<typeof failed>
    expect(changed(healthy, strange)).to.include({ 'health.lastError': '$health' })
  })

  it('marks a reported failure as recovered at the first success', () => {
    const success = note(at(3), null)
    const reported = { ...failing, reportedFailure: { since: at(1) } }
    const recovered = { reportedFailure: { since: at(1), recoveredAt: at(3) } }
    expect(changed(reported, success)).to.deep.include(recovered)
    const before = { reportedFailure: { since: at(1), recoveredAt: at(2) } }
    expect(changed({ ...failing, ...before }, success)).to.deep.include(before)
    expect(changed(failing, success)).to.include({ reportedFailure: null })
    expect(changed(reported, failed(at(2)))).to.not.have.property('reportedFailure')
  })

  it('counts attempts by hour and overwrites the same hour of an earlier day', () => {
    const attemptHours = {
      h1: { hour: at(1), attempts: 10, succeeded: 4 },
      h2: { hour: new Date(at(2).getTime() - 86_400_000), attempts: 10, succeeded: 4 },
    }
    const two = [note(at(2), null), note(at(2), null)]
    const notes = [note(at(1, 1), null), failed(at(1, 59)), ...two, failed(at(23))]
    const counts = changed({ ...healthy, attemptHours }, ...notes)
    expect(counts['attemptHours.h1']).to.deep.equal({ hour: at(1), attempts: 12, succeeded: 5 })
    expect(counts['attemptHours.h2']).to.deep.equal({ hour: at(2), attempts: 2, succeeded: 2 })
    expect(counts['attemptHours.h23']).to.deep.equal({ hour: at(23), attempts: 1, succeeded: 0 })
  })
})
