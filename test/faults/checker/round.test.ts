import { expect } from 'chai'
import { judge } from './check.ts'
import { at } from './story/clock.ts'
import { ordinary } from './story/ordinary.ts'
import { tellsOf } from './story/perturbations.ts'

describe('The checker of faults, of the round,', () => {
  it('tells what it cannot judge, and judges the rest', () => {
    const round = ordinary()
    round.ends.push({ at: at(3), process: 'web-1', says: 'it ended with 1' })
    for (const intent of round.dump.intents) Object.assign(intent, { refunds: null })
    const told = judge(round)
    expect(told.map(({ promise }) => promise)).to.include.members(['process.lives', 'refund.bounded'])
    expect(told.find(({ promise }) => promise === 'refund.bounded')?.says).to.include('cannot be judged')
  })

  it('minds no line that says less than an error', () => {
    const round = ordinary()
    round.lines.push({ from: 'log/web-1.log', line: '{"level":"warn","msg":"mongodb.lost"}' })
    expect(judge(round)).to.deep.equal([])
  })

  tellsOf([
    ['round.ended', 'it was broken off', ({ setting }) => setting.brokenOff.push('the audit: Error: no')],
    ['quiet.reached', 'something was left under way', ({ setting }) => setting.left.push('1 of orders')],
    [
      'process.lives',
      'a process ended by itself',
      ({ ends }) => ends.push({ at: at(3), process: 'web-1', says: 'it ended with 1' }),
    ],
    [
      'log.calm',
      'a process asked for a person',
      ({ lines }) => lines.push({ from: 'log/worker-1.log', line: '{"level":"error","msg":"job.failed"}' }),
    ],
    [
      'log.calm',
      'a process said what is no line of a log',
      ({ lines }) => lines.push({ from: 'log/web-1.log', line: 'TypeError: no' }),
    ],
  ])
})
