import { expect } from 'chai'
import { createRelayBudget } from '../../src/webhooks/relay-budget.ts'

describe('the budget of relays', () => {
  it('has a share of deliveries for each business, and one document alone whatever its size', () => {
    const budget = createRelayBudget()
    const mine = budget.take('a', 2_000)
    expect(budget.take('a', 1)).to.equal(null)
    expect(budget.take('b', 9_000)).to.be.a('function')
    expect(budget.take('b', 1)).to.equal(null)
    mine?.()
    expect(budget.take('a', 100_000)).to.be.a('function')
  })
})
