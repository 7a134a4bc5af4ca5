import { expect } from 'chai'
import type { PlannedFault, Targets } from './faults.ts'
import { runFaults } from './nemesis.ts'

const mood = (target: string, atMs: number, forMs: number): PlannedFault => {
  return { what: 'endpoint.behaviour', target, behaviour: 'hang', atMs, forMs }
}
const jump: PlannedFault = { what: 'clock.jump', target: 'all', atMs: 10, forMs: 0, aheadMs: 1 }

describe('The fault injector', () => {
  const behaved: string[] = []
  const behave = (name: string, behaviour: string | null) => behaved.push(`${name} ${behaviour}`)
  const targets = (onJump: () => void) =>
    ({ endpointServers: { behave }, controls: { jump: onJump } }) as unknown as Targets

  it('reports the faults it caused and skips those that would come too late', async () => {
    const plan = [mood('/hook/1', 0, 60), mood('/hook/1', 5, 0), jump]
    const made: PlannedFault[] = []
    await runFaults(targets(Boolean), plan, 20, (_fault, planned) => made.push(planned))
    expect(made).to.have.members([plan[0], jump])
  })

  it("ends running faults and starts no more if a fault can't be caused", async () => {
    behaved.length = 0
    const plan = [mood('/hook/1', 0, 60), jump, mood('/hook/2', 30, 0), mood('/hook/3', 60_000, 0)]
    const failing = targets(() => {
      throw new Error('no clock')
    })
    const outcome = await runFaults(failing, plan, 1000, Boolean).catch(({ message }) => message)
    expect(outcome).to.equal('no clock')
    expect(behaved).to.deep.equal(['/hook/1 hang', '/hook/1 null'])
  })
})
