const contractFaults: string[] = []
let test = ''
export const noteContractFault = (fault: string): void => void contractFaults.push(`${test}\n    ${fault}`)
let areBodiesPossible = true
export const checksBodies = (): boolean => areBodiesPossible
/** For a `describe` with documents the service would never store: its response bodies are not checked. */
export const withImpossibleDocuments = (): void => {
  before(() => void (areBodiesPossible = false))
  after(() => void (areBodiesPossible = true))
}

const maxShown = 20

export const contractHooks = {
  beforeEach(this: Mocha.Context): void {
    test = this.currentTest?.fullTitle() ?? ''
  },
  afterAll(): void {
    if (contractFaults.length === 0) return
    const faults = contractFaults.splice(0)
    const shown = faults.slice(0, maxShown).join('\n  ')
    throw new Error(`${faults.length} responses do not match the OpenAPI description:\n  ${shown}`)
  },
}
