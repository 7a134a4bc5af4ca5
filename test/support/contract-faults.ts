/** Responses of this run that do not match the OpenAPI description, each with its test (check-responses.ts). */
const contractFaults: string[] = []
let test = ''

export const noteContractFault = (fault: string): void => void contractFaults.push(`${test}\n    ${fault}`)

/** The failure lists at most this many, to stay readable. */
const maxShown = 20

/** Hooks for mocha (servers.ts), which fail the run at its end if there are any. */
export const contractHooks = {
  beforeEach(this: Mocha.Context): void {
    test = this.currentTest?.fullTitle() ?? ''
  },
  afterAll(): void {
    if (contractFaults.length === 0) return
    const shown = contractFaults.slice(0, maxShown).join('\n  ')
    throw new Error(`${contractFaults.length} responses do not match the OpenAPI description:\n  ${shown}`)
  },
}
