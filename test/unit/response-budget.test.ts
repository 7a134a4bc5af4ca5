import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { mock } from 'node:test'
import { expect } from 'chai'
import { Refusal } from '../../src/errors.ts'
import { createResponseBudget } from '../../src/http/responses/budget.ts'

const kib = 1024

/** A response that has only a connection. */
class Response extends EventEmitter {
  closed = false
  destroy() {
    if (this.closed) return
    this.closed = true
    this.emit('close')
  }
}
const response = () => new Response() as unknown as ServerResponse
const refusalOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error)

describe('The memory limit for responses', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  it('allows each business a quarter of the memory, admits reads in order, and rejects a read that has waited too long', async () => {
    let reported = 0
    const budget = createResponseBudget(400 * kib, (bytes) => void (reported = bytes))
    const first = response()
    const memory = await budget.reserve('a', 60 * kib, first)
    expect([budget.perBusiness, budget.taken(), reported]).to.deep.equal([100 * kib, 60 * kib, 60 * kib])
    const admitted: string[] = []
    const large = budget.reserve('a', 90 * kib, response()).then(() => admitted.push('large'))
    const small = budget.reserve('a', 30 * kib, response()).then(() => admitted.push('small'))
    await budget.reserve('b', 100 * kib, response())
    memory.set(40 * kib)
    memory.release(30 * kib)
    await large
    expect(admitted).to.deep.equal(['large'])
    mock.timers.tick(2000)
    const refused = await refusalOf(small)
    expect(refused).to.be.instanceOf(Refusal)
    expect((refused as Refusal).extras.details).to.deep.equal({ scope: 'responses', limit: 100 * kib })
    first.destroy()
    expect(budget.taken()).to.equal(190 * kib)
  })

  it("reserves at most a business's share for one response, and nothing for a response of up to 16 KiB", async () => {
    const budget = createResponseBudget(400 * kib, () => undefined)
    const memory = await budget.reserve('a', 1000 * kib, response())
    expect(budget.taken()).to.equal(100 * kib)
    memory.set(16 * kib)
    expect(budget.taken()).to.equal(0)
    budget.count('a', 16 * kib, response())
    expect(budget.taken()).to.equal(0)
  })

  it('keeps memory reserved until the work has ended and the connection has closed', async () => {
    const budget = createResponseBudget(400 * kib, () => undefined)
    const gone = response()
    const memory = await budget.reserve('a', 50 * kib, gone)
    let end: () => void = () => undefined
    const work = memory.during(() => new Promise<void>((resolve) => (end = resolve)))
    gone.destroy()
    expect(budget.taken()).to.equal(50 * kib)
    end()
    await work
    expect(budget.taken()).to.equal(0)
  })

  it("closes the connections of a business's oldest responses if the business does not read the responses to its writes", () => {
    const budget = createResponseBudget(400 * kib, () => undefined)
    const responses = Array.from({ length: 5 }, response)
    for (const each of responses) budget.count('a', 30 * kib, each)
    expect(responses.map(({ closed }) => closed)).to.deep.equal([true, true, false, false, false])
    expect(budget.taken()).to.equal(90 * kib)
  })

  it("closes another business's stalled response to free memory for a business that uses less memory", async () => {
    const budget = createResponseBudget(400 * kib, () => undefined)
    const stalled = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (business) => {
        const stalling = response()
        const memory = await budget.reserve(business, 100 * kib, stalling)
        memory.set(100 * kib)
        return stalling
      }),
    )
    const now = mock.method(performance, 'now', () => Number.MAX_SAFE_INTEGER)
    await budget.reserve('e', 50 * kib, response())
    now.mock.restore()
    expect(stalled.filter(({ closed }) => closed)).to.have.length(1)
    expect(budget.taken()).to.equal(350 * kib)
  })
})
