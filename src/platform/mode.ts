export const modeOf = ({ sandbox }: { sandbox: boolean }): 'test' | 'live' => (sandbox ? 'test' : 'live')
