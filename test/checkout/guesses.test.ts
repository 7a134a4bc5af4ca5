import { expect } from 'chai'
import { createGuesses, type Guesses } from '../../src/checkout/guesses.ts'
import { openBeside } from '../support/acts.ts'
import { type House, openHouse } from '../support/house.ts'

const hit = async () => 'found'
const miss = async () => null

describe('Guessing at codes', () => {
  let house: House
  let beside: House
  let guesses: Guesses
  before(async () => {
    house = await openHouse()
    beside = await openBeside(house)
    guesses = createGuesses(house.deps)
  })
  after(() => Promise.all([house.close(), beside.close()]))

  /** An address that no other test uses. */
  let addresses = 0
  const elsewhere = () => `198.51.100.${++addresses}`

  const counts = () => house.deps.mongo.collection<{ key: string; points: number; expire: Date }>('guesses')
  /** Lets the time of all limits pass: the clock of the library that keeps them is its own. */
  const forget = () => counts().updateMany({}, { $set: { expire: new Date(0) } })
  beforeEach(forget)

  /** What somebody does in one way or the other. */
  const ways = {
    link: (ip: string, find: () => Promise<string | null>) => guesses.link(ip, find),
    code: (ip: string, find: () => Promise<string | null>) => guesses.code(ip, null, find),
    'test-code': (ip: string, find: () => Promise<string | null>) => guesses.code(ip, 'a-business', find),
  }
  type Way = keyof typeof ways
  const repeat = async (times: number, act: () => Promise<{ outcome: string }>) => {
    const outcomes = []
    for (let time = 0; time < times; time += 1) outcomes.push((await act()).outcome)
    return outcomes
  }

  for (const way of Object.keys(ways) as Way[]) {
    const guess = ways[way]

    it(`${way}: an address is closed after 30 misses in ten minutes, for hits as well; others are not`, async () => {
      const ip = elsewhere()
      expect(new Set(await repeat(30, () => guess(ip, miss)))).to.deep.equal(new Set(['miss']))
      const [late, lucky] = [await guess(ip, miss), await guess(ip, hit)]
      for (const each of [late, lucky]) {
        expect(each.outcome).to.equal('closed')
        expect(each.outcome === 'closed' && each.closedMs).to.be.within(590_000, 600_000)
      }
      expect(await guess(elsewhere(), hit)).to.deep.equal({ outcome: 'hit', found: 'found' })
      await forget()
      expect((await guess(ip, hit)).outcome).to.equal('hit')
    })

    it(`${way}: hits do not count`, async () => {
      const ip = elsewhere()
      await repeat(40, () => guess(ip, hit))
      expect(new Set(await repeat(30, () => guess(ip, miss)))).to.deep.equal(new Set(['miss']))
      expect((await guess(ip, hit)).outcome).to.equal('closed')
    })

    it(`${way}: when all together missed too often, nobody gets further, and who is shut out already adds nothing`, async () => {
      const ip = elsewhere()
      await repeat(35, () => guess(ip, miss))
      const group = way === 'test-code' ? 'a-business' : 'all'
      const [most, counted] = [way === 'link' ? 30_000 : 3000, { key: `${way}-all:${group}` }]
      expect(await counts().findOne(counted)).to.include({ points: 30 })
      await counts().updateOne(counted, { $set: { points: most - 1 } })
      const fresh = elsewhere()
      expect((await guess(fresh, miss)).outcome).to.equal('miss')
      expect((await guess(fresh, miss)).outcome).to.equal('closed')
      expect((await guess(elsewhere(), hit)).outcome).to.equal('closed')
      for (const other of Object.keys(ways) as Way[])
        if (other !== way) expect((await ways[other](elsewhere(), hit)).outcome).to.equal('hit')
    })
  }

  it('of an IPv6 network, within which anybody may choose, all addresses are one', async () => {
    await repeat(30, () => guesses.code('2001:db8:5::1', null, miss))
    expect((await guesses.code('2001:db8:5::2', null, hit)).outcome).to.equal('closed')
    expect((await guesses.code('2001:db8:6::1', null, hit)).outcome).to.equal('hit')
  })

  it('of an IPv6 site, which anybody is given whole, no more miss than in ten of its networks', async () => {
    for (const [way, guess] of Object.entries(ways)) {
      await guess('2001:db8:7:1::1', miss)
      const site = { key: `${way}-site:8193:3512:7` }
      const perMiss = way === 'link' ? 10 : 1
      expect(await counts().findOne(site)).to.include({ points: perMiss })
      await counts().updateOne(site, { $set: { points: 299 * perMiss } })
      expect((await guess('2001:db8:7:2::1', miss)).outcome).to.equal('miss')
      expect((await guess('2001:db8:7:3::1', hit)).outcome).to.equal('closed')
      expect((await guess('2001:db8:8:3::1', hit)).outcome).to.equal('hit')
      expect(await counts().findOne(site)).to.include({ points: 300 * perMiss })
    }
  })

  it('the codes of one sandbox are closed to all while those of another answer', async () => {
    await repeat(1, () => guesses.code(elsewhere(), 'busy', miss))
    await counts().updateOne({ key: 'test-code-all:busy' }, { $set: { points: 3000 } })
    expect((await guesses.code(elsewhere(), 'busy', hit)).outcome).to.equal('closed')
    expect((await guesses.code(elsewhere(), 'quiet', hit)).outcome).to.equal('hit')
  })

  it('of many typed at once, to several processes, no more are looked up than may miss', async () => {
    const ip = elsewhere()
    let lookedUp = 0
    const counted = async () => {
      lookedUp += 1
      return null
    }
    const other = createGuesses(beside.deps)
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? guesses : other).code(ip, null, counted)),
    )
    expect(lookedUp).to.equal(30)
    expect(outcomes.filter((each) => each.outcome === 'closed')).to.have.length(70)
  })

  it('of many links opened at once, by several processes, no more are told of than 300, and then none', async () => {
    const ip = elsewhere()
    const other = createGuesses(beside.deps)
    const outcomes = await Promise.all(
      Array.from({ length: 500 }, (_, index) => (index % 2 === 0 ? guesses : other).link(ip, miss)),
    )
    expect(outcomes.filter((each) => each.outcome === 'miss')).to.have.length.within(30, 300)
    expect((await guesses.link(ip, hit)).outcome).to.equal('closed')
  })

  it('good links opened at once shut nobody out, and leave nothing counted', async () => {
    const ip = elsewhere()
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => guesses.link(ip, hit)))
    expect(new Set(outcomes.map((each) => each.outcome))).to.deep.equal(new Set(['hit']))
    expect(await counts().findOne({ key: `link:${ip}` })).to.include({ points: 0 })
  })

  it('good codes typed at once leave nothing counted, whoever had to be asked to come back', async () => {
    const ip = elsewhere()
    await Promise.all(Array.from({ length: 60 }, () => guesses.code(ip, null, hit)))
    expect(await counts().findOne({ key: `code:${ip}` })).to.include({ points: 0 })
    expect(await counts().findOne({ key: 'code-all:all' })).to.include({ points: 0 })
    expect((await guesses.code(ip, null, hit)).outcome).to.equal('hit')
  })
})
