import { createIntent } from '../support/actions.ts'
import { waitForDeath } from '../support/kill-at-every-step.ts'
import { withService } from '../support/service.ts'
import { openVictim } from '../support/victim.ts'
import { waitFor } from '../support/wait-for.ts'

describe('The test fixture that kills a process at a given step', () => {
  const service = withService()
  const label = 'killed at step 1'
  async function labelled() {
    const merchant = await service.merchant()
    const { referenceNumber } = await createIntent(service, merchant, { amount: 100, label: 'before' })
    const stored = () => service.deps.Intent.findOne({ referenceNumber }).orFail().lean()
    return { referenceNumber, labelNow: async () => (await stored()).label }
  }

  it('sends a delayed write once it is released, even if the process has disconnected', async () => {
    const { referenceNumber, labelNow } = await labelled()
    const victim = await openVictim(service, { step: 1, fate: 'late', lateMs: 0 })
    const written = victim.deps.Intent.updateOne({ referenceNumber }, { label: 'after' }).then(
      () => 'answered',
      () => 'hung up',
    )
    await victim.died
    expect(await written).to.equal('hung up')
    expect(await labelNow()).to.equal('before')
    await victim.release()
    expect(await labelNow()).to.equal('after')
    await victim.close()
  })

  it('waits for an unacknowledged write to finish before it reports the process as dead', async () => {
    const { referenceNumber, labelNow } = await labelled()
    const victim = await openVictim(service, { step: 1, fate: 'unanswered', lateMs: 0 })
    const slowly = { referenceNumber, $where: 'sleep(300) || true' }
    const written = victim.deps.Intent.updateOne(slowly, { label: 'after' }).catch(() => undefined)
    await waitFor('the write has set out', () => victim.steps.length === 1)
    await waitForDeath(victim, Promise.resolve(), { step: 1, label })
    expect(await labelNow()).to.equal('after')
    await victim.close()
    await written
  })

  it('fails if the process never reaches the step', async () => {
    const victim = await openVictim(service, { step: 1, fate: 'unanswered', lateMs: 0 })
    const fault = await waitForDeath(victim, Promise.resolve(), { step: 1, label }).catch(String)
    expect(fault).to.equal(
      `Error: ${label}: the process did not die after []: the operation has finished: undefined`,
    )
    await victim.close()
  })
})
