import { expect } from 'chai'
import { createBodyBudget } from '../../src/http/body/budget.ts'

describe('The memory budget for request bodies', () => {
  it('allows each business a quarter of the budget, and limits the total for all businesses', () => {
    const budget = createBodyBudget(400)
    expect(budget.take('a', 101)).to.equal(null)
    const first = budget.take('a', 60)
    expect(budget.take('a', 41)).to.equal(null)
    for (const business of ['b', 'c', 'd']) expect(budget.take(business, 100)).not.to.equal(null)
    expect(budget.take('e', 41)).to.equal(null)
    first?.keep(20)
    first?.keep(50)
    expect(budget.taken()).to.equal(320)
    expect(budget.take('e', 80)).not.to.equal(null)
  })

  it("releases a body's memory only once, when the last task that uses the body has ended", async () => {
    const budget = createBodyBudget(400)
    const reserved = budget.take('a', 100) ?? expect.fail()
    let end: (error: Error) => void = () => undefined
    const late = new Promise<void>((_, reject) => (end = reject))
    const request = reserved.use(async () => {
      reserved.use(() => late).catch(() => undefined)
      throw new Error('too late')
    })
    expect(await request.catch(({ message }: Error) => message)).to.equal('too late')
    expect(budget.taken()).to.equal(100)
    end(new Error('gone'))
    await new Promise(setImmediate)
    expect(budget.taken()).to.equal(0)
    reserved.keep(0)
    expect(budget.taken()).to.equal(0)
    expect(budget.take('a', 100)).not.to.equal(null)
  })
})
