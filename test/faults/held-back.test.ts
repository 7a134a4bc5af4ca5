import { expect } from 'chai'
import { createIntent } from '../support/acts.ts'
import { type House, openHouse } from '../support/house.ts'
import { openVictim } from '../support/kill-points.ts'

describe('A write that is held back on its way', () => {
  let house: House
  before(async () => void (house = await openHouse()))
  after(() => house.close())

  it('lands however late, also when the process that sent it has hung up', async () => {
    const { referenceNumber } = await createIntent(house, await house.merchant(), {
      amount: 100,
      label: 'before',
    })
    const label = async () => (await house.deps.Intent.findOne({ referenceNumber }).orFail().lean()).label
    const victim = await openVictim(house, { step: 1, fate: 'late', lateMs: 0 })
    const written = victim.deps.Intent.updateOne({ referenceNumber }, { label: 'after' }).then(
      () => 'answered',
      () => 'hung up',
    )
    await victim.died
    expect(await written).to.equal('hung up')
    expect(await label()).to.equal('before')
    await victim.happen()
    expect(await label()).to.equal('after')
    await victim.close()
  })
})
