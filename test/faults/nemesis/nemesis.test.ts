import { expect } from 'chai'
import type { Fault } from '../evidence/evidence.ts'
import type { PlannedFault } from '../plan/fault.ts'
import { unleash } from './nemesis.ts'
import type { Targets } from './targets.ts'

const mood = (target: string, atMs: number, forMs: number): PlannedFault => ({
  what: 'receiver.mood',
  target,
  manner: 'hang',
  atMs,
  forMs,
})
const jump: PlannedFault = { what: 'clock.jump', target: 'all', atMs: 10, forMs: 0, aheadMs: 1 }

describe('The nemesis', () => {
  let said: string[]
  const receivers: Targets['receivers'] = {
    behave: (name, manner) => said.push(`${name} ${manner}`),
    behaveProvider: () => undefined,
  }
  const targets = (jumping: () => void) => ({ receivers, clocks: { jump: jumping } }) as unknown as Targets
  beforeEach(() => {
    said = []
  })

  it('tells of what came to be, and leaves out what it is too late for', async () => {
    const told: PlannedFault[] = []
    const plan = [mood('/hook/1', 0, 60), mood('/hook/1', 5, 0), jump]
    await unleash(
      targets(() => undefined),
      plan,
      20,
      (_fault, planned) => told.push(planned),
    )
    expect(told).to.have.members([plan[0], jump])
  })

  it('tells of a point from the moment at which the process came there', async () => {
    const one = { comesToPoint: async () => ({ point: 'pay.settled', began: 4711 }), thaw: () => undefined }
    const orders = { give: () => undefined, takeBack: () => undefined }
    const processes = new Map([['web-1', one]])
    const point: PlannedFault = {
      what: 'process.point',
      target: 'web-1',
      atMs: 0,
      forMs: 1,
      point: 'create.inserted',
      time: 1,
      deed: 'stop',
      awayMs: 0,
    }
    const told: Fault[] = []
    await unleash({ processes, orders } as unknown as Targets, [point], 1000, (fault) => told.push(fault))
    expect(told).to.have.length(1)
    expect(told[0]).to.include({ began: 4711, target: 'web-1 pay.settled stop' })
  })

  it('heals what it has begun, and begins nothing more, where something cannot be done', async () => {
    const plan = [mood('/hook/1', 0, 60), jump, mood('/hook/2', 30, 0), mood('/hook/3', 60_000, 0)]
    const broken = targets(() => {
      throw new Error('no clock')
    })
    const outcome = await unleash(broken, plan, 1000, () => undefined).catch(({ message }) => message)
    expect(outcome).to.equal('no clock')
    expect(said).to.deep.equal(['/hook/1 hang', '/hook/1 null'])
  })
})
