import { type RetentionRecord, startCleanUpPass } from '../../src/retention/record.ts'

const now = new Date('2026-03-03T12:00:00Z')
const begun = { id: 'p', beganAt: new Date('2026-03-01T12:00:00Z'), hasFaults: false }
const start = (pass: RetentionRecord['pass']) => startCleanUpPass({ pass } as RetentionRecord, now)

describe('A clean-up of all businesses', () => {
  it('continues on later nights until it is complete, however many it takes', () =>
    expect(start(begun)).to.deep.equal(begun))

  it('starts over the next night if every remaining business failed', () => {
    const tonight = { ...begun, beganAt: new Date('2026-03-03T02:30:00Z'), hasFaults: true }
    expect(start(tonight)).to.deep.equal(tonight)
    const { id, ...pass } = start({ ...begun, hasFaults: true })
    expect(id).to.not.equal('p')
    expect(pass).to.deep.equal({ beganAt: now, hasFaults: false })
  })
})
