/** A wallet that each business has in the sandbox by itself (docs/merchants/testing.md): it always pays. */
export const demoWallet = { phone: '22000001', pin: '1234', masked: '22******01' } as const
