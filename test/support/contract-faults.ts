/** Answers of this run that were not as the API is described, each with the test that got it (described.ts). */
const contractFaults: string[] = []
let test = ''

export const noteContractFault = (fault: string): void => void contractFaults.push(`${test}\n    ${fault}`)

/** As many as one can read. */
const mostTold = 20

/** For mocha (servers.ts): the run fails in the end where there are any. */
export const contractHooks = {
  beforeEach(this: Mocha.Context): void {
    test = this.currentTest?.fullTitle() ?? ''
  },
  afterAll(): void {
    if (contractFaults.length === 0) return
    const told = contractFaults.slice(0, mostTold).join('\n  ')
    throw new Error(`${contractFaults.length} answers were not as the API is described:\n  ${told}`)
  },
}
