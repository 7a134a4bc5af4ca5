import { expect } from 'chai'
import { watchPrototypes } from './prototypes.mjs'

describe('The watch over built-in prototypes', () => {
  const strange = watchPrototypes()
  const { prototype } = Object
  const original = Object.getOwnPropertyDescriptor(prototype, 'toLocaleString') ?? {}
  const put = (name: string, value: unknown) =>
    Object.defineProperty(prototype, name, { value, configurable: true })

  afterEach(() => Object.defineProperty(prototype, 'toLocaleString', original))

  it('finds nothing where nothing was done', () => {
    expect(strange()).to.deep.equal([])
  })

  it('finds a property that is new, another, or gone', () => {
    put('polluted', 1)
    const withNew = strange()
    Reflect.deleteProperty(prototype, 'polluted')
    put('toLocaleString', original.value.bind(null))
    const withOther = strange()
    Reflect.deleteProperty(prototype, 'toLocaleString')
    const without = strange()
    expect(withNew).to.deep.equal(['Object.polluted'])
    expect(withOther).to.deep.equal(['Object.toLocaleString'])
    expect(without).to.deep.equal(['Object.toLocaleString'])
  })
})
