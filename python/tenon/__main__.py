from tenon._command import main

main()
