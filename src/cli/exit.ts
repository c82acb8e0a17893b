/** Exit codes (DESIGN section 5). */
export const EXIT = { success: 0, problem: 1, usage: 2 } as const
