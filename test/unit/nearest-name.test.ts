import { findNearestName } from '../../src/input/known-fields.ts'

const known = ['from', 'to', 'events', 'onlyUndelivered', 'dryRun', 'amount']

describe('The nearest known name', () => {
  it('is suggested for a short name only if one edit away', () => {
    const pairs = [
      ['foo', undefined],
      ['tom', 'to'],
      ['form', 'from'],
      ['frm', 'from'],
      ['fromm', 'from'],
      ['t', 'to'],
      ['Ot', 'to'],
      ['time', undefined],
      ['event', 'events'],
      ['dry_run', 'dryRun'],
    ] as const
    for (const [name, nearest] of pairs) expect(findNearestName(known, name), name).to.equal(nearest)
  })
})
