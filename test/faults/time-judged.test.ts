import { expect } from 'chai'
import { nothingChecked } from './checker/round.ts'
import { notJudged, timeJudged, unproved } from './time-judged.ts'

const checked = { 'answer.sound': 8, 'delivery.counted': 7, 'delivery.paced': 6, 'expiry.prompt': 5 }
const calm = { checked, busy: { ms: 0, ofMs: 90_000, isMostly: false } }
const busy = { checked: nothingChecked(), busy: { ms: 60_000, ofMs: 90_000, isMostly: true } }

describe('What a run of faults proves about time', () => {
  it('is told of each round, or why it proves nothing', () => {
    expect(timeJudged(calm)).to.equal(
      'time checked: answer.sound 8, delivery.counted 7, delivery.paced 6, expiry.prompt 5',
    )
    expect(timeJudged(busy)).to.equal('time not judged, as the machine was busy for 60 of 90 s')
  })

  it('is too little where a promise could tell of nothing in all its rounds, unless it is a short one', () => {
    const nothingLate = { ...calm, checked: { ...checked, 'delivery.paced': 0 } }
    expect(unproved([calm, nothingLate], 300)).to.deep.equal([])
    expect(unproved([busy, nothingLate], 300)).to.deep.equal([
      'delivery.paced could tell of nothing that it is late',
    ])
    expect(unproved([busy], 120)).to.deep.equal([])
  })

  it('is told of the run where the machine was too busy in some rounds', () => {
    expect(notJudged([calm])).to.deep.equal([])
    expect(notJudged([calm, busy])).to.have.lengthOf(1)
  })
})
