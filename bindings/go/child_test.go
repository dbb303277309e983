package mcpdiscover

// child plays a role in a process of its own.
func child(role string) int { return 2 }
